import { enableCompileCache } from "node:module";

// Stripping types and compiling take a large part of the startup time. The cache saves both from the second start on.
enableCompileCache();
await import("./serve.ts");
