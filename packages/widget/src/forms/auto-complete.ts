import type { FormField } from "@foyer/contract";

/**
 * The `autocomplete` value that lets the browser fill in the field. It follows from the type, or from a common field
 * name.
 */
export function chooseAutoComplete({ type, name }: FormField): string | undefined {
  if (type === "email" || type === "tel") return type;
  if (type !== "text") return undefined;
  const plain = name.toLowerCase().replace(/[^a-z]/g, "");
  return valuesByName.find(([names]) => names.split(" ").includes(plain))?.[1];
}

const valuesByName: ReadonlyArray<[names: string, token: string]> = [
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
