declare module "*.css?inline" {
  export const css: string;
  // biome-ignore lint/style/noDefaultExport: the bundler exports a style sheet's text as the default
  export default css;
}
