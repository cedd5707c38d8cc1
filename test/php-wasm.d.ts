/** The parts of PHP as WebAssembly that the tests use. The packages' own types do not resolve under `nodenext`. */
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
