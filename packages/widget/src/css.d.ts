declare module "*.css?inline" {
  export const css: string;
  // biome-ignore lint/style/noDefaultExport: this is how the bundler gives a style sheet's text
  export default css;
}
