import type { LookupAddress } from 'node:dns'
import { test } from '@japa/runner'
import { Webhook } from 'standardwebhooks'
import { isPrivateAddress, addressError, RequestSender } from '#admin/webhooks/send_request'
import { newSecret, sealSecret, signedHeaders } from '#admin/webhooks/webhook_message'
import { startReceiver } from '#tests/helpers/webhook_receiver'

test.group('Webhooks | private addresses', () => {
  test('[W4] the address {0} is private')
    .with([
      '127.0.0.1',
      '127.255.255.254',
      '0.0.0.0',
      '10.0.0.1',
      '100.64.0.1',
      '100.100.100.200',
      '169.254.169.254',
      '168.63.129.16',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '192.0.0.170',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '::7f00:1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::ffff:a9fe:a9fe',
      '0:0:0:0:0:ffff:10.0.0.1',
      '64:ff9b::7f00:1',
      '64:ff9b::169.254.169.254',
      '64:ff9b:1::1',
      'fe80::1',
      'fe80::1%eth0',
      'fec0::1',
      'fc00::1',
      'fd00:ec2::254',
      'ff02::1',
      '2002:7f00:1::',
      '2001::1',
      '2001:db8::1',
      '[::1]',
      'localhost',
      '',
    ])
    .run(({ assert }, address) => assert.isTrue(isPrivateAddress(address)))

  test('[W4] the address {0} is public')
    .with([
      '1.1.1.1',
      '172.32.0.1',
      '100.128.0.1',
      '::ffff:1.1.1.1',
      '64:ff9b::101:101',
      '2606:4700:4700::1111',
      '2a00:1450:4001:80b::200e',
    ])
    .run(({ assert }, address) => assert.isFalse(isPrivateAddress(address)))
})

test.group('Webhooks | valid addresses', () => {
  test('[W4] the address {0} is refused')
    .with([
      'ftp://example.com',
      'javascript:alert(1)',
      'example.com/hook',
      'https://user:secret@example.com',
      'https://example.com/#part',
      'http://localhost:3000',
      'http://LOCALHOST./x',
      'http://a.localhost',
      'http://127.0.0.1',
      'http://2130706433/',
      'http://0x7f.1/',
      'http://017700000001/',
      'http://[::1]:8080/',
      'http://[::ffff:127.0.0.1]/',
      'http://[64:ff9b::7f00:1]/',
      'http://169.254.169.254/latest/meta-data',
      `https://example.com/${'a'.repeat(2000)}`,
    ])
    .run(({ assert }, address) => assert.isString(addressError(address, false)))

  test('[W4] https and http addresses are accepted, private ones only if the setting allows them', ({
    assert,
  }) => {
    assert.isNull(addressError('https://example.com/hooks?a=b', false))
    assert.isNull(addressError('http://example.com:8080', false))
    assert.isNull(addressError('http://127.0.0.1:3000', true))
  })
})

test.group('Webhooks | requests', () => {
  /** Sends a request to a name that resolves to the given addresses. */
  async function sendTo(addresses: string[], port: string, allowPrivate = false) {
    const resolved: LookupAddress[] = addresses.map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }))
    const resolveName = ((_name: string, _options: object, callback: Function) =>
      callback(null, resolved)) as never
    const sender = new RequestSender({ allowPrivate, timeout: 1000, resolveName })
    try {
      return await sender.send(`http://hooks.example.com:${port}/`, {}, '{}')
    } finally {
      sender.close()
    }
  }

  test('[W4] a host name that resolves to a private address is refused', async ({
    assert,
    cleanup,
  }) => {
    const receiver = await startReceiver()
    cleanup(() => receiver.stop())
    const { port } = new URL(receiver.url)
    for (const addresses of [['127.0.0.1'], ['::ffff:127.0.0.1'], ['1.1.1.1', '127.0.0.1']]) {
      const sent = await sendTo(addresses, port)
      assert.equal(sent.error, 'The host has a private address')
      assert.isNull(sent.status)
    }
    assert.isEmpty(receiver.messages)
  })

  test('[W4] the connection is made to the IP address that was checked', async ({
    assert,
    cleanup,
  }) => {
    const receiver = await startReceiver()
    cleanup(() => receiver.stop())
    const { port } = new URL(receiver.url)
    const sent = await sendTo(['127.0.0.1'], port, true)
    assert.equal(sent.status, 204)
    assert.equal(receiver.messages[0].headers.host, `hooks.example.com:${port}`)
  })

  test('[W4] an IP address in place of a host name is checked, too', async ({
    assert,
    cleanup,
  }) => {
    const receiver = await startReceiver()
    cleanup(() => receiver.stop())
    const sender = new RequestSender({ allowPrivate: false })
    const { error } = await sender.send(receiver.url, {}, '{}')
    assert.equal(error, 'The host has a private address')
    assert.isEmpty(receiver.messages)
  })

  test('[W4] a refused connection is an error without details of the network', async ({
    assert,
  }) => {
    const sender = new RequestSender({ allowPrivate: true })
    const { error, status } = await sender.send('http://127.0.0.1:1/', {}, '{}')
    assert.isNull(status)
    assert.equal(error, 'The connection was refused')
  })

  test('[W4] a receiver that switches to another protocol is an error', async ({
    assert,
    cleanup,
  }) => {
    const receiver = await startReceiver()
    cleanup(() => receiver.stop())
    receiver.respond = (response) =>
      response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end()
    const sender = new RequestSender({ allowPrivate: true })
    const { error, status } = await sender.send(receiver.url, {}, '{}')
    assert.isNull(status)
    assert.equal(error, 'The connection was closed before a response')
  })
})

test.group('Webhooks | secrets', () => {
  test('[W4] during a rotation messages are signed with both secrets', ({ assert }) => {
    const [one, two] = [newSecret(), newSecret()]
    const now = Date.now()
    const secrets = {
      secret: sealSecret(two),
      previousSecret: sealSecret(one),
      previousSecretUntil: now + 1000,
    }
    const body = '{"a":1}'
    const headers = signedHeaders(secrets, { id: 'msg_1', body, now })!
    for (const secret of [one, two]) {
      assert.deepEqual(new Webhook(secret).verify(body, headers), { a: 1 })
    }
    const later = signedHeaders(secrets, { id: 'msg_1', body, now: now + 2000 })!
    assert.throws(() => new Webhook(one).verify(body, later))
    assert.doesNotThrow(() => new Webhook(two).verify(body, later))
  })

  test('[W4] a secret is 32 random bytes, and stored encrypted', ({ assert }) => {
    const secret = newSecret()
    assert.match(secret, /^whsec_[\w+/]{43}=$/)
    assert.notInclude(sealSecret(secret), secret.slice(6, 20))
    const unreadable = { secret: 'other', previousSecret: null, previousSecretUntil: null }
    assert.isNull(signedHeaders(unreadable, { id: 'a', body: '', now: 0 }))
  })
})
