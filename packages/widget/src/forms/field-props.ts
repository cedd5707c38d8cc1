import type { FormField } from "@foyer/contract";
import type { ComponentChildren, JSX } from "preact";
import type { FormSession } from "./form-session.ts";

/** The props of every control. `describedBy` contains the ids of the hints and errors below the control. */
export type FieldProps = {
  field: FormField;
  id: string;
  session: FormSession;
  isLocked: boolean;
  isWrong: boolean;
  describedBy: string | undefined;
  /** Set only for groups: the label, and the hints and errors below the controls. */
  label?: JSX.Element;
  children?: ComponentChildren;
};
