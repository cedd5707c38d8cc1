import type { FormField } from "@foyer/contract";

/** What browsers fill in by themselves: by the type, else by what the field is usually called. */
export function autoCompleteOf({ type, name }: FormField): string | undefined {
  if (type === "email" || type === "tel") return type;
  if (type !== "text") return undefined;
  const plain = name.toLowerCase().replace(/[^a-z]/g, "");
  return purposes.find(([names]) => names.split(" ").includes(plain))?.[1];
}

const purposes: ReadonlyArray<[names: string, token: string]> = [
  ["name fullname yourname", "name"],
  ["firstname givenname forename", "given-name"],
  ["lastname surname familyname", "family-name"],
  ["company companyname organization organisation", "organization"],
  ["jobtitle", "organization-title"],
  ["street address streetaddress", "address-line1"],
  ["city town", "address-level2"],
  ["zip zipcode postcode postalcode", "postal-code"],
  ["country", "country-name"],
  ["website url homepage", "url"],
];
