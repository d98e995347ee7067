import { spawnSync } from 'node:child_process'

/** Settings of this machine by which npm reaches the registry, and those that spare it requests */
export const NETWORK = {
  ...(Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /proxy|^npm_config_(registry|.*cert|ca)|cert|^ssl_/i.test(name)
    )
  ) as Record<string, string>),
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
}

/** Tests the connection outside continuous integration, where the test fails without one. */
export function reachesRegistry(): boolean {
  const { status } = spawnSync('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=5000'])
  return status === 0
}
