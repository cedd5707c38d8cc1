import { createRequire } from "node:module";

type Passwords = {
  hashPassword(password: string): Promise<string>;
  verifyPassword(given: { hash: string; password: string }): Promise<boolean>;
};

const library: Passwords = createRequire(new URL("../packages/server/package.json", import.meta.url))(
  "better-auth/crypto",
);

/**
 * Replaces `better-auth/crypto` in tests. Hashing takes 80 ms, and almost every test creates a user and signs in with
 * the same password, so results are cached per password.
 */
export const hashPassword = remember(library.hashPassword);
export const verifyPassword = remember(library.verifyPassword);

function remember<Input, Result>(work: (input: Input) => Promise<Result>) {
  const results = new Map<string, Promise<Result>>();
  return (input: Input): Promise<Result> => {
    const key = JSON.stringify(input);
    const result = results.get(key) ?? work(input);
    results.set(key, result);
    return result;
  };
}
