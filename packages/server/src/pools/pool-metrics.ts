import { Counter, Gauge, type Registry } from "prom-client";

type PoolStats = { inUse: number; waiting: number; refused: number; largestShare: number };
type MeasuredPool = { name: string; size: number; stats(): PoolStats };

/** The pools of this process, which runs several servers in tests. The values of pools with the same name are added. */
const pools = new Set<WeakRef<MeasuredPool>>();

/**
 * Makes a pool with a name visible in the metrics for as long as it is used. Pass the object that the pool's users hold,
 * because a copy of it would be collected.
 */
export function registerPool(pool: Omit<MeasuredPool, "name"> & { name: string | undefined }): void {
  if (isNamed(pool)) pools.add(new WeakRef(pool));
}

const gauges = {
  foyer_pool_size: { help: "Slots of a pool", read: ({ size }: MeasuredPool) => size },
  foyer_pool_in_use: { help: "Slots of a pool that are in use", read: (pool: MeasuredPool) => pool.stats().inUse },
  foyer_pool_waiting: {
    help: "Callers that wait for a slot of a pool",
    read: (pool: MeasuredPool) => pool.stats().waiting,
  },
  // Shows that one organization fills a pool, without a label for each organization.
  foyer_pool_largest_share: {
    help: "Slots in use by the organization or address that uses most of a pool",
    read: (pool: MeasuredPool) => pool.stats().largestShare,
  },
};

/** Adds the metrics of every pool. */
export function addPoolMetrics(registry: Registry): void {
  const common = { labelNames: ["pool"] as const, registers: [registry] };
  for (const [name, { help, read }] of Object.entries(gauges)) {
    new Gauge({
      ...common,
      name,
      help,
      collect() {
        this.reset();
        for (const pool of listPools()) this.inc({ pool: pool.name }, read(pool));
      },
    });
  }
  new Counter({
    ...common,
    name: "foyer_pool_refused_total",
    help: "Callers that got no slot of a pool and could not wait for one",
    collect() {
      this.reset();
      for (const pool of listPools()) this.inc({ pool: pool.name }, pool.stats().refused);
    },
  });
}

function isNamed(pool: { name: string | undefined }): pool is MeasuredPool {
  return pool.name !== undefined;
}

function listPools(): MeasuredPool[] {
  return [...pools].flatMap((reference) => {
    const pool = reference.deref();
    if (!pool) pools.delete(reference);
    return pool ?? [];
  });
}
