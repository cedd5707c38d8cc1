// `npm ci` does not install these packages. Their own types would make the type check depend on the installation.
declare module "puppeteer-core" {
  type Page = {
    goto(url: string): Promise<unknown>;
    setViewport(size: { width: number; height: number }): Promise<void>;
    evaluate(script: string | ((...args: unknown[]) => unknown), ...args: unknown[]): Promise<unknown>;
    screenshot(options: { path: string }): Promise<unknown>;
    mouse: { click(x: number, y: number): Promise<void> };
    keyboard: { type(text: string): Promise<void>; press(key: string): Promise<void> };
  };
  export function launch(options: {
    browser: "firefox";
    executablePath: string;
    headless: boolean;
    extraPrefsFirefox: Record<string, unknown>;
  }): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>;
}

declare module "@mdn/browser-compat-data" {
  export type SimpleSupportStatement = {
    version_added: string | false;
    version_removed?: string;
    flags?: unknown[];
    prefix?: string;
    alternative_name?: string;
  };
  export type CompatStatement = { support: Record<string, SimpleSupportStatement | SimpleSupportStatement[]> };
  export type Identifier = { __compat?: CompatStatement } & { [name: string]: Identifier };
  const data: { javascript: Identifier; api: Identifier };
  // biome-ignore lint/style/noDefaultExport: this is how the package exports its data
  export default data;
}
