// What tests and build use of Node, so that the types of all of it (@types/node) need not be a package of ours.
declare module "node:test" {
  type Run = (context: { diagnostic(text: string): void; skip(reason?: string): void }) => void | Promise<void>;
  export function test(name: string, run: Run): void;
  export function test(name: string, options: { skip?: boolean | string; timeout?: number }, run: Run): void;
  export function describe(name: string, run: () => void): void;
  export function it(name: string, run: Run): void;
  export function before(run: () => void | Promise<void>): void;
  export function after(run: () => void | Promise<void>): void;
  export default test;
}
declare module "node:assert/strict" {
  interface Assert {
    (value: unknown, message?: string): asserts value;
    equal<T>(actual: unknown, expected: T, message?: string): asserts actual is T;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    ok(value: unknown, message?: string): asserts value;
    match(text: string, pattern: RegExp, message?: string): void;
    doesNotMatch(text: string, pattern: RegExp, message?: string): void;
    throws(run: () => unknown, pattern?: RegExp): void;
    fail(message?: string): never;
  }
  const assert: Assert;
  export default assert;
}
declare module "node:fs" {
  export function readFileSync(path: string, encoding: "utf8"): string;
  export function readFileSync(path: string): Uint8Array;
  export function writeFileSync(path: string, data: string | Uint8Array): void;
  export function renameSync(from: string, to: string): void;
  export function mkdirSync(path: string, options?: { recursive?: boolean }): void;
  export function mkdtempSync(prefix: string): string;
  export function rmSync(path: string, options?: { recursive?: boolean; force?: boolean }): void;
  export function existsSync(path: string): boolean;
}
declare module "node:os" {
  export function tmpdir(): string;
}
declare module "node:path" {
  export function basename(path: string, end?: string): string;
  export function join(...parts: string[]): string;
  export function resolve(...parts: string[]): string;
}
declare module "node:url" {
  export function pathToFileURL(path: string): URL;
}
declare const process: {
  argv: string[];
  env: Record<string, string | undefined>;
  exitCode: number | undefined;
  exit(code?: number): never;
  stdout: { write(text: string): void };
};
declare const Buffer: {
  byteLength(text: string): number;
  from(data: Uint8Array | string, encoding?: string): Uint8Array & { toString(encoding?: string): string };
};
interface ImportMeta {
  dirname: string;
  filename: string;
  main: boolean;
}
