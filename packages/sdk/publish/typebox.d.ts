/**
 * The parts of typebox that the contract's declarations name, so that users of the package need not install 6 MB for
 * types alone. A test checks that both produce the same types for every endpoint.
 */
export interface TSchema {
  readonly static: unknown;
}

export type Static<T extends TSchema> = T["static"];
export type StaticType<_Stack, _Direction, _Context, _This, T extends TSchema> = T["static"];

interface Kind<T> extends TSchema {
  readonly static: T;
}

type Optional = { readonly isOptional: true };
type OptionalKeys<P> = { [K in keyof P]: P[K] extends Optional ? K : never }[keyof P];
type StaticObject<P> = Flat<
  { [K in Exclude<keyof P, OptionalKeys<P>>]: StaticOf<P[K]> } & { [K in OptionalKeys<P>]?: StaticOf<P[K]> }
>;
type StaticOf<T> = T extends TSchema ? T["static"] : never;
type Flat<T> = { [K in keyof T]: T[K] };

declare namespace Type {
  type TArray<T extends TSchema> = Kind<Array<T["static"]>>;
  type TBoolean = Kind<boolean>;
  type TInteger = Kind<number>;
  type TLiteral<T> = Kind<T>;
  type TNull = Kind<null>;
  type TNumber = Kind<number>;
  type TObject<P> = Kind<StaticObject<P>>;
  type TRecord<K extends string, T extends TSchema> = Kind<Record<K extends `^${string}` ? string : K, T["static"]>>;
  type TOptional<T extends TSchema> = T & Optional;
  type TString = Kind<string>;
  type TUnknown = Kind<unknown>;
  type TUnsafe<T> = Kind<T>;
  function Unsafe<T>(schema: object): TUnsafe<T>;
}
// biome-ignore lint/style/noDefaultExport: typebox has one
export default Type;
