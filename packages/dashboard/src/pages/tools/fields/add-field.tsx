import type { FormField } from "@foyer/contract";
import { Plus } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { Menu } from "../../../components/menu.tsx";
import { FieldIcon } from "./field-icon.tsx";
import { fieldKinds, fieldTypes } from "./field-kinds.ts";

/** Offers the types of fields. */
export function AddField({ onAdd }: { onAdd: (type: FormField["type"]) => void }) {
  return (
    <Menu
      align="start"
      trigger={
        <Button>
          <Plus size={16} aria-hidden /> Add a field
        </Button>
      }
      items={fieldTypes.map((type) => ({
        label: fieldKinds[type],
        icon: <FieldIcon type={type} />,
        onSelect: () => onAdd(type),
      }))}
    />
  );
}
