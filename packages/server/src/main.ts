import { enableCompileCache } from "node:module";

// A good part of a start is stripping types and compiling; the next start finds both done.
enableCompileCache();
await import("./serve.ts");
