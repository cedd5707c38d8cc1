/** Foyer's lamp as a PNG file of 56 pixels, twice the size at which emails show it. It is sent with them, because mail programs block remote pictures. */
export const lampPicture = Buffer.from(
  [
    "iVBORw0KGgoAAAANSUhEUgAAADgAAAA4CAYAAACohjseAAAC7UlEQVR4nOyZS2hTQRSG/5PUxj5EcNEstKtSEHQhFKn1AaULH8XixiIutQhqGm",
    "yEmio+CiKtVfowVTBY3bsq+NoGqTREXAguFHFjEXQjiEmsqck4gYCWZubO5HEzN+SDm5nhzmTOnzP5uXPHhSqnDjYxMjTY/X97fHo2AhuwTSAI",
    "1/hnd64VyV1lx4UqpybQ6dQEOp2aQKdTE+h0agKdTk2g06l6gYQyMuz3t7nr0u0E12Y+0zHGsC536w8jeuxC5ks6XfdpYmbmA8pESQVeGjq7I0",
    "3uXgLr481d0CNKoCcZwrObk6G3KBGlEEgjgcEzvPTzaytKw3simh6bDN1HkRQlMDg06CfCHZQX3/jU7D0USEECL57zdTI3PQDDdtgB4V2G0cDE",
    "VCgGTdzQhC/H0yCa59UW2EcLz8Spfbs7vy4sxt7oDNQSGAz4r/KJbqNyHN7TtTP9Kvr6peoAZYEj531BLu4GKgx32p69XZ3xhWhsUa2/AsGA7w",
    "j/4nkYBBHrG5u8+9Syn1WH0f7++uUt3s+86oVZfPueSLWGw+EVWSfLR7XlVu9lmCcui3dTc/0Vq07SDAYCgQYPVpIwmPUbU02jo2FhjNIMeljq",
    "OAwn+aNeGqNUICMcgOG4Qftl96WHL9w5j8JwGJg0RqvTpbJup0qENEa5QIYeOBwnZKgoqv6VRcEnvD8fNXfDRjaciEdQAAUt0fhc0zDf6E7ARv",
    "j7nAvNA4lb0ERbYPJhQyuD6yOvemAvvwmZ9saTv5Z0Bmn/B7m467BfXBZPbm4ttDKYmGs8xPcpz1FJGOttGki+UO2ul0Ei7V+w5GjGoCwwayy8",
    "6EDl6cjFooTSEq2gsYhQNhylDFbQWEQoG45lBo0wFhEKhmOdQROMRYRCbFKBBhmLCEvDES5RA41FhNRwhBk00FhESA0nbwaNNhYRAsPJn0GTjU",
    "WEIOY1Ah1gLCLyGs6qJeogYxGxxnBW7ej5+XobLw7CwRBc23ix9K9d5fwFAAD//1f0YCgAAAAGSURBVAMAPvXLL5ZGZhsAAAAASUVORK5CYII=",
  ].join(""),
  "base64",
);
