const MAX_ADDRESS = 2_000;
/** Tracking parameters that ads and newsletters add. They never change a page's content. */
const TRACKING = /^(utm_\w+|gclid|fbclid|msclkid|mc_cid|mc_eid)$/;

/** Removes the fragment and tracking parameters from a URL. @returns null when it is too long */
export function withoutTracking(url: URL): string | null {
  url.hash = "";
  const trackingParameters = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  for (const name of trackingParameters) url.searchParams.delete(name);
  return url.href.length > MAX_ADDRESS ? null : url.href;
}
