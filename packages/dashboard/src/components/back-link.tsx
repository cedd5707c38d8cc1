import { createLink } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import type { ComponentProps } from "react";

/** The link from the page of one thing to the list that it belongs to, above the page's heading. */
export const BackLink = createLink(({ children, ...link }: ComponentProps<"a">) => (
  <a {...link} className="inline-flex items-center gap-1.5 text-soft hover:text-ink">
    <ArrowLeft size={16} aria-hidden /> {children}
  </a>
));
