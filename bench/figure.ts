/** One line of the table. */
export type Row = {
  figure: string;
  measured: string;
  baseline: string;
  ratio: string;
  target: string;
  isMet: boolean;
};

/** Runs the measurement and returns its results. Throws when something did not work at all. */
export type Figure = () => Promise<Row[]>;

export const ms = (value: number): string =>
  `${value.toFixed(value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;
export const times = (value: number): string => `${value.toFixed(2)}x`;
export const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} KB`;
export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(0)} MB`;
