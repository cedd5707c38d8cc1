import { enableCompileCache } from "node:module";

// See main.ts.
enableCompileCache();
await import("./commands.ts");
