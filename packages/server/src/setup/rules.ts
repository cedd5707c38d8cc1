import type { SetUpRequest } from "@foyer/contract";
import { readEmailAddress } from "../auth/email-address.ts";
import { readPlainName } from "../auth/plain-name.ts";
import { checkAll } from "../errors.ts";

/** Checks what the schema of the body cannot express. @throws 400 with the path of every problem */
export function checkSetUp({ email, name = null, organizationName = null }: Partial<SetUpRequest>): void {
  checkAll([
    () => {
      if (email !== undefined) readEmailAddress("email", email);
    },
    () => {
      if (name !== null) readPlainName("name", name);
    },
    () => {
      if (organizationName !== null) readPlainName("organizationName", organizationName);
    },
  ]);
}
