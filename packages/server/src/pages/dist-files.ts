import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { entityTag } from "../http/etag.ts";

/** A built file as it is sent, with what `Content-Encoding` says of it. */
export type DistFile = { body: Buffer; type: string; encoding: "br" | "gzip" | null; etag: string };

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".tgz": "application/gzip",
  ".woff2": "font/woff2",
};

/** What the build put into a folder, each file read when it is first asked for and kept. A new build is seen after a restart. */
export function createDistFiles(dist: URL) {
  const kept = new Map<string, Promise<DistFile>>();
  return {
    /**
     * A file by its name in the folder `under` (empty: the top), as small as the browser can read it. Undefined for what was not built and for what
     * is no name: nothing but a name reaches a file.
     */
    async find(under: string, name: string, acceptEncoding: string | undefined): Promise<DistFile | undefined> {
      const type = types[extname(name)];
      if (!type || !/^[\w-][\w.-]*$/.test(name)) return undefined;
      const encoding = type.startsWith("text/") ? bestOf(acceptEncoding) : null;
      const path = under + name + { br: ".br", gzip: ".gz", none: "" }[encoding ?? "none"];
      const known = kept.get(path) ?? load(path, type, encoding);
      kept.set(path, known);
      return known.catch(undefinedWhenMissing);
    },
    /** A text of the folder, as it is; undefined when it was not built. */
    async text(name: string): Promise<string | undefined> {
      const known = kept.get(name) ?? load(name, "", null);
      kept.set(name, known);
      return (await known.catch(undefinedWhenMissing))?.body.toString();
    },
  };

  async function load(path: string, type: string, encoding: DistFile["encoding"]): Promise<DistFile> {
    try {
      const body = await readFile(new URL(path, dist));
      return { body, type, encoding, etag: entityTag(body) };
    } catch (error) {
      // Names that somebody made up must not pile up.
      kept.delete(path);
      throw error;
    }
  }
}

function undefinedWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** The smallest that the browser can read. */
function bestOf(acceptEncoding = ""): DistFile["encoding"] {
  const accepted = acceptEncoding.split(",").map((part) => part.trim().toLowerCase());
  const accepts = (name: string) =>
    accepted.some((part) => new RegExp(`^${name}(;\\s*q=(?!0(\\.0*)?$).*)?$`).test(part));
  if (accepts("br")) return "br";
  return accepts("gzip") ? "gzip" : null;
}
