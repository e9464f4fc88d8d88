// Figures outside a browser: what they say can be tested without what they draw.

/** An element that takes everything and has nothing: no children, no size, no text. */
function nothing(): unknown {
  const none = new Set<PropertyKey>(["firstChild", "parentNode", "parentElement", "nextSibling", "then"]);
  const self: unknown = new Proxy(function () {}, {
    get: (_, name) => {
      if (none.has(name)) return null;
      if (name === "__data__") return []; // what d3 binds to an element
      if (name === "getContext") return () => null;
      if (name === "length") return 0;
      if (name === Symbol.toPrimitive) return () => "";
      if (name === Symbol.iterator) return () => [][Symbol.iterator]();
      return self;
    },
    set: () => true,
    apply: () => self,
    construct: () => self as object,
  });
  return self;
}

/** What `use` returns, with a document in which drawing leaves no trace. */
export function withoutDocument<T>(use: () => T): T {
  const globals = globalThis as unknown as Record<string, unknown>;
  globals["document"] = nothing();
  globals["window"] = { document: globals["document"] };
  try {
    return use();
  } finally {
    delete globals["document"];
    delete globals["window"];
  }
}
