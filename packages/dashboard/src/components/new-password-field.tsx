import { TextField } from "./field.tsx";

type Props = { label?: string; value: string; onChange: (value: string) => void; error?: string | undefined };

/** A password that is being chosen. Password managers suggest one and store it. */
export function NewPasswordField({ label = "Password", ...field }: Props) {
  return (
    <TextField {...field} label={label} type="password" autoComplete="new-password" help="At least 12 characters." />
  );
}
