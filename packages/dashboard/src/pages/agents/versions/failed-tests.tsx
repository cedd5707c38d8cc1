import { checkKinds } from "@foyer/contract/rules/evaluations";
import { FoyerError } from "@foyer/sdk";
import { Link } from "@tanstack/react-router";
import { checkLabels } from "../../tests/check-labels.ts";

/** A test that kept a draft from being published, and what failed first in it. */
export type FailedTest = { name: string; failure: string };

const prefix = "tests.";

/** The tests that an error of publishing names. */
export function readFailedTests(error: unknown): FailedTest[] {
  if (!(error instanceof FoyerError) || error.code !== "CONFLICT") return [];
  return error.details
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path, message }) => ({ name: path.slice(prefix.length), failure: describeFailure(message) }));
}

/** @param message the kind of the check and what came instead, such as `says: Open until two` */
function describeFailure(message: string): string {
  const kind = checkKinds.find((known) => message.startsWith(`${known}: `));
  return kind ? `${checkLabels[kind].name}. Got: ${message.slice(kind.length + 2)}` : message;
}

/** Says which tests fail with the draft. */
export function FailedTests({
  agentId,
  tests,
  onClose,
}: {
  agentId: string;
  tests: readonly FailedTest[];
  onClose: () => void;
}) {
  return (
    <div role="alert" className="grid gap-2 border-s-2 border-wrong ps-3">
      <p>Not published, because {tests.length === 1 ? "a test fails" : "tests fail"} with the draft:</p>
      <ul className="grid gap-2">
        {tests.map(({ name, failure }) => (
          <li key={name} className="wrap-anywhere">
            <p className="font-medium">{name}</p>
            <p className="text-sm text-soft">{failure}</p>
          </li>
        ))}
      </ul>
      <p>
        <Link
          to="/agents/$agentId/tests"
          params={{ agentId }}
          onClick={onClose}
          className="underline underline-offset-2"
        >
          Go to the tests
        </Link>
      </p>
    </div>
  );
}
