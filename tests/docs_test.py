#!/usr/bin/env python3
"""C++ in the documents is code that the tests compile and run: docs_test.py SOURCE_DIR"""

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
sys.exit(1 if failed else 0)
