import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { chooseEncoding, type Encoding } from "../http/choose-encoding.ts";
import { createEntityTag } from "../http/etag.ts";

/** A built file as it is sent, with its `Content-Encoding`. */
export type DistFile = { body: Buffer; type: string; encoding: Encoding | null; etag: string };

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".tgz": "application/gzip",
  ".woff2": "font/woff2",
};

/** Serves the built files of a folder. Each file is read on the first request and cached until the process restarts. */
export function createDistFiles(dist: URL) {
  const cache = new Map<string, Promise<DistFile>>();
  return {
    /**
     * Finds a file by name in the folder `under` (empty for the top), in the smallest encoding that the browser
     * accepts. Undefined when it was not built or the name contains anything but file name characters, so no path can
     * escape.
     */
    async find(under: string, name: string, acceptEncoding: string | undefined): Promise<DistFile | undefined> {
      const type = types[extname(name)];
      if (!type || !/^[\w-][\w.-]*$/.test(name)) return undefined;
      const encoding = /^(text|application\/json)/.test(type) ? chooseEncoding(acceptEncoding) : null;
      const path = under + name + { br: ".br", gzip: ".gz", none: "" }[encoding ?? "none"];
      const cached = cache.get(path) ?? load(path, type, encoding);
      cache.set(path, cached);
      return cached.catch(undefinedWhenMissing);
    },
    /** Reads a text file of the folder. Undefined when it was not built. */
    async text(name: string): Promise<string | undefined> {
      const known = cache.get(name) ?? load(name, "", null);
      cache.set(name, known);
      return (await known.catch(undefinedWhenMissing))?.body.toString();
    },
  };

  async function load(path: string, type: string, encoding: DistFile["encoding"]): Promise<DistFile> {
    try {
      const body = await readFile(new URL(path, dist));
      return { body, type, encoding, etag: createEntityTag(body) };
    } catch (error) {
      // Remove the entry, so that names of missing files do not accumulate in the cache.
      cache.delete(path);
      throw error;
    }
  }
}

function undefinedWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
