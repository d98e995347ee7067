import { test } from '@japa/runner'
import { isNetwork, NetworkList } from '#base/http/network'

test.group('Networks of client addresses', () => {
  test('[W10] "{network}" is accepted as a network: {accepted}')
    .with([
      ...['10.0.0.0/8', '192.0.2.7', '0.0.0.0/0', '2001:db8::/32', '::1', '::/0'].map(
        (network) => ({ network, accepted: true })
      ),
      ...['', '10.0.0.0/33', '10.0.0/8', 'localhost', '::1/129', '10.0.0.0/8/8', '1.2.3.4/'].map(
        (network) => ({ network, accepted: false })
      ),
      ...['fe80::1%eth0', '10.0.0.0/-1', '10.0.0.0/08x'].map((network) => ({
        network,
        accepted: false,
      })),
    ])
    .run(({ assert }, { network, accepted }) => assert.equal(isNetwork(network), accepted))

  test('[W10] an address is found in IPv4 and IPv6 networks', ({ assert }) => {
    const networks = new NetworkList(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'])
    for (const address of ['10.9.8.7', '::ffff:10.9.8.7', '192.0.2.7', '2001:db8:1::5']) {
      assert.isTrue(networks.has(address), address)
    }
    for (const address of ['11.0.0.1', '192.0.2.8', '2001:db9::1', '::1', '', 'unknown']) {
      assert.isFalse(networks.has(address), address)
    }
  })
})
