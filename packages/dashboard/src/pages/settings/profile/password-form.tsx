import { Button } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";
import { NewPasswordField } from "../../../components/new-password-field.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { keepPush } from "../../../data/push-device.ts";
import { notify } from "../../../data/toasts.ts";

const empty = { currentPassword: "", newPassword: "" };

export function PasswordForm({ userId }: { userId: string }) {
  const form = useDialogForm(empty, async (body) => {
    await api.changePassword({ body });
    // The password change created a new session, which must register this browser for push again. If that fails, the
    // notices page shows it.
    keepPush(userId, { isNewSession: true }).catch(() => {});
    notify("Password changed. Your other sessions were signed out");
  });
  return (
    <form
      ref={form.form}
      noValidate
      className="grid max-w-sm gap-4"
      onSubmit={(event) => form.onSubmit(event).then((isDone) => isDone && form.reset(empty))}
    >
      <TextField
        label="Current password"
        type="password"
        autoComplete="current-password"
        value={form.values.currentPassword}
        onChange={(currentPassword) => form.change({ currentPassword })}
        error={form.errorAt("currentPassword")}
      />
      <NewPasswordField
        label="New password"
        value={form.values.newPassword}
        onChange={(newPassword) => form.change({ newPassword })}
        error={form.errorAt("newPassword")}
      />
      {form.problem && (
        <p role="alert" className="border-s-2 border-wrong ps-3">
          {form.problem}
        </p>
      )}
      <Button type="submit" isBusy={form.isBusy} className="justify-self-start">
        Change password
      </Button>
    </form>
  );
}
