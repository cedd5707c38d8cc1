/** The path of BASE_URL, below which this server answers. Empty if it is at the root of its host. */
const basePath = () => document.querySelector<HTMLMetaElement>("meta[name=foyer-base-path]")?.content ?? "";

/** The address of the server that served this page. */
export const serverUrl = (): string => location.origin + basePath();

/** The path of a page that the browser loads instead of the router, such as `/docs/api`. */
export const serverPath = (path: string): string => basePath() + path;
