import type { AgentContent, ApplyChange } from "@foyer/contract";
import { compareObjects, type Named, withUniqueNames } from "@foyer/contract/rules/compare-contents";

/** What differs between two contents. `before` is null for an agent that is created. */
export function listChanges(slug: string, before: AgentContent | null, after: AgentContent): ApplyChange[] {
  const fields = before ? listFields(before.agent, after.agent) : [];
  const action = before ? "change" : "create";
  const own: ApplyChange = { agent: slug, action, kind: "agent", name: slug, fields };
  return [
    ...(before === null || fields.length > 0 ? [own] : []),
    ...listNamed({ agent: slug, kind: "tool" }, before?.tools ?? [], after.tools),
    ...listNamed({ agent: slug, kind: "trigger" }, before?.triggers ?? [], after.triggers),
  ];
}

/** The changes of a list whose entries have names. */
export function listNamed(place: Pick<ApplyChange, "agent" | "kind">, from: Named, to: Named): ApplyChange[] {
  const [before, after] = [withUniqueNames(from), withUniqueNames(to)];
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((name): ApplyChange[] => {
    const [old, current] = [before.get(name), after.get(name)];
    if (!current) return [{ ...place, action: "remove", name, fields: [] }];
    if (!old) return [{ ...place, action: "create", name, fields: [] }];
    const fields = listFields(old, current);
    return fields.length > 0 ? [{ ...place, action: "change", name, fields }] : [];
  });
}

function listFields(from: object, to: object): string[] {
  return compareObjects("", { ...from }, { ...to }).map(({ path }) => path);
}
