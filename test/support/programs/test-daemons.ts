// The daemons with faults, in one bundle (scripts/bundle.ts). Each function starts one of these daemons with the
// arguments of this process.

export const plannedDaemon = (): Promise<unknown> => import('../../daemon/planned-daemon.ts');
export const faultyDaemon = (): Promise<unknown> => import('./faulty-daemon.ts');
export const killedDaemon = (): Promise<unknown> => import('./killed-daemon.ts');
