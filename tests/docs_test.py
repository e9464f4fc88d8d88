#!/usr/bin/env python3
"""What documents repeat is what the sources say: docs_test.py SOURCE_DIR

C++ is code that the tests compile and run; the ten words of the guide are those that the report page explains; what descriptions
of the method cite is in CITATION.cff.
"""

import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
EXAMPLES = {"docs/adding-an-operation.md": "tests/ops/added_operation.cpp"}

failed = False
for document in sorted([*source.glob("*.md"), *source.glob("docs/*.md")]):
    name = str(document.relative_to(source))
    blocks = re.findall(r"^```cpp\n(.*?)^```", document.read_text(), re.DOTALL | re.MULTILINE)
    compiled = (source / EXAMPLES[name]).read_text() if name in EXAMPLES else ""
    for block in blocks:
        if block not in compiled:
            failed = True
            print(f"{name}: this C++ is not in {EXAMPLES.get(name, 'any file that is compiled')}:\n{block}")
    if name in EXAMPLES and not blocks:
        failed = True
        print(f"{name}: its example is gone")

heading = "### Ten words that answers use\n"
guide = (source / "docs/guide.md").read_text().partition(heading)[2].partition("\n#")[0]
told = re.findall(r"^\| (\w+) \| (.+) \|$", guide, re.MULTILINE)[1:]
explained = re.findall(r'^  \["(.+)", "(.+)"\],$', (source / "web/src/glossary.ts").read_text(), re.MULTILINE)
if not told or told != explained:
    failed = True
    print("docs/guide.md and web/src/glossary.ts do not explain the same words:")
    for word in sorted(set(told) ^ set(explained)):
        print(f"  {word}")

for what, sign in (("mock-ups", "="), ("algorithms", "@")):
    listed = set(re.findall(rf'^INVAR_[A-Z]+\("([^"]*{sign}[^"]*)"', (source / "src/ops/catalogue.def").read_text(), re.MULTILINE))
    told = set(re.findall(rf"^\| `([^`]*{sign}[^`]*)` \|", (source / "docs/methods.md").read_text(), re.MULTILINE))
    if not listed or listed != told:
        failed = True
        print(f"docs/methods.md does not list the {what} of src/ops/catalogue.def:", ", ".join(sorted(listed ^ told)))


def letters(text):
    return re.sub(r"[^a-z0-9]+", " ", text.lower())


titles = [letters(title) for title in re.findall(r'^    title: "(.+)"$', (source / "CITATION.cff").read_text(), re.MULTILINE)]
known = (source / "src/analysis/metadata/method_references.cpp").read_text()
cited = re.findall(r'Known\{\s*"([^"]+)",\s*((?:"[^"]*"\s*)+)\}', known)
for key, text in cited:
    if not any(title in letters("".join(re.findall(r'"([^"]*)"', text))) for title in titles):
        failed = True
        print(f"CITATION.cff lacks what descriptions of the method cite as {key}")
if len(cited) != len(re.findall(r"\bKnown\{", known)):
    failed = True
    print("src/analysis/metadata/method_references.cpp has references that this test cannot read")
sys.exit(1 if failed else 0)
