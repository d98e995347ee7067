import type { IncomingMessage } from 'node:http'
import { test } from '@japa/runner'
import { ServedHosts } from '#base/http/served_hosts'
import { ValueError } from '#crud'

interface Sent {
  host?: string
  forwarded?: string
  url?: string
  from?: string
}

function request({ host, forwarded, url = '/', from = '127.0.0.1' }: Sent): IncomingMessage {
  return {
    url,
    headers: { host, 'x-forwarded-host': forwarded },
    socket: { remoteAddress: from },
  } as unknown as IncomingMessage
}

const APP = { appUrl: 'https://shop.example.com', hosts: ['www.example.com', '*.example.org'] }

test.group('ServedHosts', () => {
  test('the hosts of APP_URL and of the list are served with any port')
    .with([
      'shop.example.com',
      'SHOP.example.com:8443',
      'shop.example.com:',
      'www.example.com',
      'a.example.org:80',
      'a.b.example.org',
      undefined,
    ])
    .run(({ assert }, host) => {
      const hosts = new ServedHosts({ ...APP, allowsLocal: false })
      assert.isTrue(hosts.serves(request({ host })))
      assert.isTrue(hosts.serves(request({ host })))
    })

  test('requests for other hosts are refused')
    .with([
      'evil.test',
      'localhost',
      '127.0.0.1:3333',
      'example.com',
      'example.org',
      '.example.org',
      'xexample.org',
      'shop.example.com.evil.test',
      'shop.example.com@evil.test',
      'shop.example.com#',
      'shop.example.com, evil.test',
      'shop.example.com:80:80',
      '',
    ])
    .run(({ assert }, host) => {
      const hosts = new ServedHosts({ ...APP, allowsLocal: false })
      assert.isFalse(hosts.serves(request({ host })))
    })

  test('local host names are served if configured', ({ assert }) => {
    const hosts = new ServedHosts({ ...APP, allowsLocal: true })
    for (const host of ['localhost', 'localhost:5173', '127.0.0.1:1', '[::1]', '[::1]:3333']) {
      assert.isTrue(hosts.serves(request({ host })), host)
    }
    for (const host of ['localhost.evil.test', '127.0.0.1.evil.test', '[::2]', '127.0.0.2']) {
      assert.isFalse(hosts.serves(request({ host })), host)
    }
  })

  test('a forwarded host is accepted only from a trusted proxy', ({ assert }) => {
    const trusts = (address: string) => address === '10.0.0.1'
    const hosts = new ServedHosts({ ...APP, allowsLocal: false, trusts })
    const sent = { host: 'inner', forwarded: 'shop.example.com' }

    assert.isTrue(hosts.serves(request({ ...sent, from: '10.0.0.1' })))
    assert.isFalse(hosts.serves(request({ ...sent, from: '10.0.0.2' })))
    const evil = { host: 'shop.example.com', forwarded: 'evil.test' }
    assert.isFalse(hosts.serves(request({ ...evil, from: '10.0.0.1' })))
    assert.isTrue(hosts.serves(request({ ...evil, from: '10.0.0.2' })))
  })

  test('a request line with another host is refused, whatever the header', ({ assert }) => {
    const hosts = new ServedHosts({ ...APP, allowsLocal: false })
    const host = 'shop.example.com'
    assert.isFalse(hosts.serves(request({ host, url: 'http://evil.test/' })))
    assert.isFalse(hosts.serves(request({ host, url: 'http://shop.example.com@evil.test/' })))
    assert.isTrue(hosts.serves(request({ host, url: 'http://shop.example.com/x' })))
    assert.isTrue(hosts.serves(request({ host, url: '/to?next=http://evil.test/' })))
  })

  test('[B9] an origin has the scheme of APP_URL, or else that of the connection', ({ assert }) => {
    const hosts = new ServedHosts({ ...APP, allowsLocal: true })
    const of = (host: string | null, protocol: string) => hosts.originOf(host, protocol)
    assert.equal(of('Shop.example.com', 'http'), 'https://shop.example.com')
    assert.equal(of('shop.example.com:443', 'https'), 'https://shop.example.com')
    assert.equal(of('www.example.com:8443', 'http'), 'https://www.example.com:8443')
    assert.equal(of('localhost:3333', 'http'), 'http://localhost:3333')
    assert.isNull(of(null, 'http'))
    assert.isNull(of('a b', 'http'))

    const plain = new ServedHosts({ appUrl: 'http://intranet', allowsLocal: false })
    assert.equal(plain.originOf('intranet', 'http'), 'http://intranet')
    assert.equal(plain.originOf('intranet', 'https'), 'https://intranet')
  })

  test('[P9] an invalid entry is refused, and the error names it')
    .with(['https://shop.example.com', 'shop.example.com:8080', '*', 'a/b', '', 5 as any])
    .run(({ assert }, entry) => {
      const make = () => new ServedHosts({ ...APP, hosts: [entry], allowsLocal: false })
      try {
        make()
        assert.fail('it was taken')
      } catch (error) {
        assert.instanceOf(error, ValueError)
        assert.include(
          (error as Error).message,
          `config/app.ts: hosts has ${JSON.stringify(entry)}`
        )
      }
    })

  test('[P9] a value other than a list is refused, and the error names it', ({ assert }) => {
    const make = () => new ServedHosts({ ...APP, hosts: 'shop' as any, allowsLocal: false })
    assert.throws(
      make,
      "config/app.ts: hosts is 'shop', and must be a list of names, as in ['shop.example.com']"
    )
  })
})
