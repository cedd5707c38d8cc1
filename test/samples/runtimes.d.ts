// The parts of the runtimes that the samples use. `npm ci` does not install them, and the types of PHP do not resolve
// under `nodenext`.
declare module "@php-wasm/universal" {
  export class PHP {
    constructor(runtime: number);
    writeFile(path: string, content: string): void;
    run(request: { code: string }): Promise<{ text: string }>;
    exit(): void;
  }
  export function loadPHPRuntime(loader: unknown): Promise<number>;
}

declare module "@php-wasm/node-8-4" {
  export function getPHPLoaderModule(): Promise<unknown>;
}

declare module "pyodide" {
  export function loadPyodide(): Promise<{
    globals: { set(name: string, value: unknown): void };
    runPython(code: string): unknown;
  }>;
}
