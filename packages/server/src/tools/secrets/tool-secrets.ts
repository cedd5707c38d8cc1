import { isAtLeast } from "@foyer/contract/rules/roles";
import { findSecretNames } from "@foyer/contract/rules/url-template";
import type { Principal } from "../../auth/sessions/authenticate.ts";
import type { Flag } from "../../db/tables/column-types.ts";
import type { ToolRow } from "../../db/tables.ts";
import { AppError } from "../../errors.ts";
import type { SecretService } from "./service.ts";

const httpColumns = ["httpUrl", "httpMethod", "httpHeaders", "httpBody"] as const;
type HttpPart = Pick<ToolRow, (typeof httpColumns)[number]>;

/**
 * A secret without hosts is sent to any host that a tool names, so the author of the tool can read it. Only admins may
 * save such a tool, as with secrets themselves. `before` is null for a new tool.
 * @throws 403
 */
export async function checkSecretUse(
  secrets: Pick<SecretService, "unbound">,
  { organizationId, role }: Pick<Principal, "organizationId" | "role">,
  { before, after }: { before: HttpPart | null; after: HttpPart },
): Promise<void> {
  if (isAtLeast(role, "admin")) return;
  if (before && httpColumns.every((column) => before[column] === after[column])) return;
  const names = [...new Set([...(before ? namesIn(before) : []), ...namesIn(after)])];
  if (names.length === 0) return;
  const [name] = await secrets.unbound(organizationId, names);
  if (name === undefined) return;
  throw new AppError(
    "FORBIDDEN",
    `You need the admin role for a tool that uses the secret ${name}, because it is not bound to hosts. Your role is ${role}.`,
  );
}

/**
 * Whether the tool may use secrets without hosts when it runs. A member's tool may not, even if the secret was bound to
 * hosts when the tool was saved and an admin has removed them since.
 */
export function unboundSecretUse({ role }: Pick<Principal, "role">, before: ToolRow | null, after: HttpPart): Flag {
  if (isAtLeast(role, "admin")) return 1;
  const isSame = before !== null && httpColumns.every((column) => before[column] === after[column]);
  return isSame ? before.mayUseUnboundSecrets : 0;
}

function namesIn({ httpUrl, httpHeaders, httpBody }: HttpPart): string[] {
  return findSecretNames([httpUrl ?? "", httpBody ?? "", ...Object.values<string>(JSON.parse(httpHeaders ?? "{}"))]);
}
