import { createLink } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import type { ComponentProps } from "react";

/** A link above the page's heading, from a page to the list that it belongs to. */
export const BackLink = createLink(({ children, ...link }: ComponentProps<"a">) => (
  <a {...link} className="inline-flex items-center gap-1.5 text-soft hover:text-ink">
    <ArrowLeft size={16} aria-hidden /> {children}
  </a>
));
