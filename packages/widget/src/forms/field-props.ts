import type { FormField } from "@foyer/contract";
import type { FormSession } from "./form-session.ts";

/** The props of every kind of field. `describedBy` holds the ids of the field's error and hint, for assistive technology. */
export type FieldProps = {
  field: FormField;
  id: string;
  session: FormSession;
  isLocked: boolean;
  isWrong: boolean;
  describedBy: string | undefined;
};
