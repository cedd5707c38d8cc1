import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { entityTag } from "../http/if-none-match.ts";

/** A built file as it is sent, with what `Content-Encoding` says of it. */
export type WidgetFile = { body: Buffer; encoding: "br" | "gzip" | null; etag: string };

/** Where the build puts the widget. */
const dist = new URL("../../../widget/dist/", import.meta.url);

/** The widget as it was built, each file read when it is first asked for and kept. A new build is seen after a restart. */
export function createWidgetFiles() {
  const kept = new Map<string, Promise<WidgetFile>>();
  const read = (path: string, encoding: WidgetFile["encoding"]) => {
    const name = path + { br: ".br", gzip: ".gz", none: "" }[encoding ?? "none"];
    const known = kept.get(name) ?? load(name, encoding);
    kept.set(name, known);
    return known;
  };
  let panelFile: string | null = null;

  return {
    /** `widget.js`, or undefined when the widget was not built. */
    loader: (acceptEncoding: string | undefined) => orNothing(read("widget.js", bestOf(acceptEncoding))),
    /** A part by its name, such as `panel-….js`; `panel.js` is the current panel. Undefined when there is none. */
    async part(name: string, acceptEncoding: string | undefined): Promise<WidgetFile | undefined> {
      // Nothing but a name reaches a file.
      if (!/^[\w-]+\.js$/.test(name)) return undefined;
      if (name === "panel.js") {
        panelFile ??= readPanelName();
        if (!panelFile) return undefined;
      }
      const file = name === "panel.js" && panelFile ? panelFile : name;
      return orNothing(read(`widget/${file}`, bestOf(acceptEncoding)));
    },
  };

  async function load(name: string, encoding: WidgetFile["encoding"]): Promise<WidgetFile> {
    try {
      const body = await readFile(new URL(name, dist));
      return { body, encoding, etag: entityTag(body) };
    } catch (error) {
      // Names that somebody made up must not pile up.
      kept.delete(name);
      throw error;
    }
  }
}

function orNothing(file: Promise<WidgetFile>): Promise<WidgetFile | undefined> {
  return file.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

function readPanelName(): string | null {
  try {
    return JSON.parse(readFileSync(new URL("build.json", dist), "utf8")).panelFile;
  } catch {
    return null;
  }
}

/** The smallest that the browser can read. */
function bestOf(acceptEncoding = ""): WidgetFile["encoding"] {
  const accepted = acceptEncoding.split(",").map((part) => part.trim().toLowerCase());
  const accepts = (name: string) =>
    accepted.some((part) => new RegExp(`^${name}(;\\s*q=(?!0(\\.0*)?$).*)?$`).test(part));
  if (accepts("br")) return "br";
  return accepts("gzip") ? "gzip" : null;
}
