import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

/**
 * `main` is the primary action of a view. `danger` is for destructive actions and names what it destroys. `plain` has
 * no border.
 */
type Variant = "main" | "quiet" | "plain" | "danger";

const variants: Record<Variant, string> = {
  main: "bg-lamp text-on-lamp font-semibold hover:bg-lamp-hover disabled:bg-sunken disabled:text-soft",
  quiet: "border border-rim bg-raised hover:bg-hover disabled:text-soft",
  plain: "hover:bg-hover disabled:text-soft",
  danger: "border border-wrong text-wrong hover:bg-hover disabled:text-soft disabled:border-line",
};

const shape =
  "inline-flex shrink-0 items-center justify-center gap-2 rounded-lg px-3 min-h-9 py-1.5 whitespace-nowrap transition-colors pointer-coarse:min-h-11";

/** `isBusy` keeps the button's size, shows that its action is running, and ignores clicks until it has finished. */
export function Button({
  variant = "quiet",
  isBusy = false,
  disabled,
  className = "",
  children,
  ...rest
}: ComponentProps<"button"> & { variant?: Variant; isBusy?: boolean }) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      className={`${shape} ${variants[variant]} ${isBusy ? "glow" : ""} ${className}`}
    >
      {children}
    </button>
  );
}

/** A link that variants like a button, with the router's `to`, `params` and `search`. */
export const ButtonLink = createLink(PlainLink);

function PlainLink({
  variant = "quiet",
  className = "",
  children,
  ...rest
}: ComponentProps<"a"> & { variant?: Variant }) {
  return (
    <a {...rest} className={`${shape} ${variants[variant]} ${className}`}>
      {children}
    </a>
  );
}

/** A square button with an icon. `label` is its accessible name. */
export function IconButton({ label, className = "", ...rest }: ComponentProps<"button"> & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`inline-flex size-9 shrink-0 items-center justify-center rounded-lg text-soft transition-colors hover:bg-hover hover:text-ink disabled:text-edge pointer-coarse:size-11 ${className}`}
    />
  );
}
