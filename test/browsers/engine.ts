/** A script for the page. It is sent as source text, so it must not refer to anything outside of itself. */
type PageScript<Args extends unknown[], Result> = (...args: Args) => Result | Promise<Result>;

/** One open page of a real browser, with the few operations that the smoke test needs in every engine. */
export type EnginePage = {
  goto(url: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  evaluate<Args extends unknown[], Result>(script: PageScript<Args, Result>, ...args: Args): Promise<Result>;
  /** The value of a JavaScript expression. A page with a strict policy does not evaluate strings itself. */
  read(expression: string): Promise<unknown>;
  /** Moves the real pointer there and presses the button. Page coordinates in CSS pixels. */
  click(x: number, y: number): Promise<void>;
  /** Types text into whatever has the focus. */
  type(text: string): Promise<void>;
  press(key: "Enter" | "Escape" | "Tab"): Promise<void>;
  screenshot(path: string): Promise<void>;
  close(): Promise<void>;
};

/** A browser engine as Debian packages it. */
export type Engine = {
  name: string;
  /** The Debian packages that are not installed. */
  missingPackages(): string[];
  /** The narrowest window in CSS pixels that shows the widget's phone layout. */
  phoneWidth: number;
  open(): Promise<EnginePage>;
};
