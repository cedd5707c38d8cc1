import type { FieldType } from "@foyer/contract";
import { Plus } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { Menu } from "../../../components/menu.tsx";
import { FieldIcon } from "./field-icon.tsx";
import { typeChoices } from "./field-kinds.ts";

/** A menu that adds a field of the chosen type. */
export function AddField({ onAdd }: { onAdd: (type: FieldType) => void }) {
  return (
    <Menu
      align="start"
      trigger={
        <Button>
          <Plus size={16} aria-hidden /> Add field
        </Button>
      }
      items={typeChoices.map(({ value, label }) => ({
        label,
        icon: <FieldIcon type={value} />,
        onSelect: () => onAdd(value),
      }))}
    />
  );
}
