import type { FormField } from "@foyer/contract";
import {
  AlignLeft,
  Calendar,
  CalendarClock,
  CircleDot,
  Hash,
  Image,
  ListChecks,
  type LucideIcon,
  Mail,
  Paperclip,
  Phone,
  SquareCheck,
  Type,
} from "lucide-react";

const icons: Record<FormField["type"], LucideIcon> = {
  text: Type,
  textarea: AlignLeft,
  email: Mail,
  tel: Phone,
  number: Hash,
  select: CircleDot,
  multiselect: ListChecks,
  date: Calendar,
  datetime: CalendarClock,
  image: Image,
  checkbox: SquareCheck,
  file: Paperclip,
};

export function FieldIcon({ type }: { type: FormField["type"] }) {
  const Icon = icons[type];
  return <Icon size={16} aria-hidden className="shrink-0 text-soft" />;
}
