import { createServer } from "node:http";
import { serveChild } from "../serve-child.ts";

/** A collector of traces that accepts requests and never answers. */
await serveChild(createServer((request) => void request.resume()));
