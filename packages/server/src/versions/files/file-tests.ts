import type { AgentFileTest, AgentTestContent } from "@foyer/contract";
import type { Kysely, Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";
import { checkAllSequentially, invalid } from "../../errors.ts";
import { differingKeys } from "./differing-keys.ts";
import { under } from "./paths.ts";

type Place = { organizationId: string; agentId: string };

/** Tests to write to an agent, and the names of those to delete. */
export type TestChanges = { removed: string[]; written: AgentTestContent[] };

/** How files reach the tests of agents, see evaluations/tests/file-tests.ts. */
export type FileTests = {
  /** The tests that were written by hand, by name. Those that were kept from conversations stay on their server. */
  read(db: Kysely<Tables>, place: Place): Promise<AgentTestContent[]>;
  /** @throws 400 */
  check(test: AgentFileTest): AgentTestContent;
  /** Writes to an agent that is locked. @throws 409 when it has too many tests */
  write(trx: Transaction<Tables>, place: Place, changes: TestChanges): Promise<void>;
};

/** Checks the tests of a file against those of the agent. @throws 400 with the path of every problem */
export async function prepareTests(
  given: readonly AgentFileTest[] | undefined,
  stored: readonly AgentTestContent[],
  { tests, path, prune }: { tests: Pick<FileTests, "check">; path: string; prune: boolean },
): Promise<TestChanges> {
  if (given === undefined) return { removed: [], written: [] };
  const names = new Set(given.map(({ name }) => name));
  const removed = prune ? stored.map(({ name }) => name).filter((name) => !names.has(name)) : [];
  const written: AgentTestContent[] = [];
  await checkAllSequentially(
    given.map(
      (test, index) => () =>
        under(`${path}tests.${index}.`, () => {
          if (given.findIndex(({ name }) => name === test.name) !== index) {
            throw invalid("name", "is the name of an earlier test of the file", "duplicate");
          }
          const content = tests.check(test);
          const current = stored.find(({ name }) => name === content.name);
          if (!current || Object.keys(differingKeys(content, current)).length > 0) written.push(content);
        }),
    ),
  );
  return { removed, written };
}
