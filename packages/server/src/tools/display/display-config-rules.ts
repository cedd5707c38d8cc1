import type { DisplayConfig } from "@foyer/contract";
import { reservedNames } from "@foyer/contract/rules/fill-display";
import { invalid } from "../../errors.ts";

/**
 * Checks the slot names and paths of a display before it is saved. Slots that the display type does not use are
 * allowed.
 * @throws 400 for `displayConfig.fieldMappings.<slot>`
 */
export function checkDisplayConfig(config: DisplayConfig): void {
  for (const [slot, path] of Object.entries(config.fieldMappings ?? {})) {
    const refuse = (message: string) => invalid(`displayConfig.fieldMappings.${slot}`, message, "not_allowed");
    if (reservedNames.has(slot)) throw refuse("cannot be used as a slot name");
    const parts = path.split(".");
    if (parts.length > 10) throw refuse("must have at most 10 segments");
    if (parts.some((part) => part.trim() === "" || reservedNames.has(part))) {
      throw refuse("must be the name of a field, such as price or product.price");
    }
  }
}
