/** The package does not include types. */
declare module "snowball-stemmers" {
  const snowball: { newStemmer(algorithm: string): { stem(word: string): string } };
  export = snowball;
}
