import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync } from 'node:zlib'
import { test } from '@japa/runner'
import { AssetStore } from '#base/http/asset_store'
import { RuntimeError, ValueError } from '#crud'

async function textOf(store: AssetStore, name: string): Promise<string | undefined> {
  const asset = await store.find(store.url(name))
  return asset?.body.toString()
}

test.group('AssetStore', (group) => {
  let folder: string

  group.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assets-'))
    return () => rm(folder, { recursive: true })
  })

  async function file(name: string, content: string): Promise<string> {
    const path = join(folder, name)
    await writeFile(path, content)
    return path
  }

  test('the URL of an asset contains a hash of its content', async ({ assert }) => {
    const path = await file('a.css', 'a { color: red }')
    const first = await AssetStore.load([{ name: 'admin.css', paths: [path] }])
    const again = await AssetStore.load([{ name: 'admin.css', paths: [path] }])
    await file('a.css', 'a { color: blue }')
    const changed = await AssetStore.load([{ name: 'admin.css', paths: [path] }])

    assert.match(first.url('admin.css'), /^admin\.[0-9a-f]{8}\.css$/)
    assert.equal(again.url('admin.css'), first.url('admin.css'))
    assert.notEqual(changed.url('admin.css'), first.url('admin.css'))
  })

  test('files of one asset are joined in their order, and scripts do not affect each other', async ({
    assert,
  }) => {
    const styles = [await file('1.css', 'a{}'), await file('2.css', 'b{}')]
    const scripts = [
      await file('1.js', 'globalThis.order = [1]'),
      await file('2.js', '(() => order.push(2))() // end'),
      await file('3.js', '[3].forEach((n) => order.push(n))'),
    ]
    const store = await AssetStore.load([
      { name: 'all.css', paths: styles },
      { name: 'all.js', paths: scripts },
    ])

    assert.equal(await textOf(store, 'all.css'), 'a{}b{}')
    const script = (await textOf(store, 'all.js'))!
    const order = new Function(
      'globalThis',
      `var order; ${script.replace('globalThis.', '')}; return order`
    )
    assert.deepEqual(order({}), [1, 2, 3])
  })

  test('[K9.6] a bundle joins assets of one type, and another process can serve it by its name', async ({
    assert,
  }) => {
    const files = [
      { name: 'a.css', paths: [await file('a.css', 'a {\n  color: red;\n}\n')] },
      { name: 'b.css', paths: [await file('b.css', 'b{}')] },
      { name: 'a.js', paths: [await file('a.js', 'a()')] },
      { name: 'b.js', paths: [await file('b.js', 'b()')] },
    ]
    const [store, other] = [await AssetStore.load(files), await AssetStore.load(files)]
    const url = store.bundle(['a.css', 'b.css'])
    assert.match(url, /^a\+b\.[\w-]{8}\.css$/)
    assert.equal(store.bundle(['a.css', 'b.css']), url)
    assert.equal((await store.find(url))!.body.toString(), 'a{color:red}\nb{}')
    assert.equal((await other.find(url))!.body.toString(), 'a{color:red}\nb{}')
    const script = await store.find(store.bundle(['b.js', 'a.js']))
    assert.equal(script!.body.toString(), 'b()\n;\na()')
    assert.equal(store.bundle(['a.js']), store.url('a.js'))
    assert.throws(() => store.bundle(['a.js', 'c.js']), 'Unknown asset c.js')

    /* Only names with the hash of a bundle are served. */
    const [hash] = url.split('.').slice(-2)
    for (const name of [
      `b+a.${hash}.css`,
      `a+b.00000000.css`,
      `a+c.${hash}.css`,
      `a+a.${hash}.css`,
      `a+b.${hash}.js`,
      '+.a.css',
      'a.css',
    ]) {
      assert.isUndefined(await other.find(name), name)
    }
  })

  test('[K9] an asset is compressed once, at the first request or before it', async ({
    assert,
  }) => {
    const path = await file('lazy.js', 'again("and again")\n'.repeat(200))
    const store = await AssetStore.load([{ name: 'lazy.js', paths: [path] }])
    const url = store.url('lazy.js')
    const [one, other] = await Promise.all([store.find(url), store.find(url)])
    assert.strictEqual(one!.brotli, other!.brotli)
    await store.prepare(() => false)
    assert.strictEqual(await store.find(url), one)
  })

  test('an asset is stored uncompressed and compressed', async ({ assert }) => {
    const path = await file('long.js', 'again("and again")\n'.repeat(200))
    const store = await AssetStore.load([{ name: 'long.js', paths: [path] }])
    const { body, gzip, brotli, type } = (await store.find(store.url('long.js')))!

    assert.isTrue(gunzipSync(gzip!).equals(body))
    assert.isTrue(brotliDecompressSync(brotli!).equals(body))
    assert.isBelow(gzip!.length, body.length)
    assert.isBelow(brotli!.length, body.length)
    assert.equal(type, 'text/javascript; charset=utf-8')
  })

  test('[Q1] a large text is compressed in milliseconds instead of seconds', async ({ assert }) => {
    const lines = Array.from(
      { length: 20_000 },
      (_, line) => `f(${line}, ${(line * 7919) % 10_007})`
    )
    const path = await file('large.js', lines.join('\n'))
    const store = await AssetStore.load([{ name: 'large.js', paths: [path] }])
    const { body, brotli } = (await store.find(store.url('large.js')))!
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    }
    assert.isAbove(body.length, 256 * 1024)
    assert.isTrue(brotliCompressSync(body, { params }).equals(brotli!))
  })

  test('no asset is found by the name "{$self}"')
    .with([
      'admin.css',
      'admin.00000000.css',
      '../admin.css',
      '..%2fadmin.css',
      '/etc/passwd',
      '__proto__',
      'constructor',
      '',
    ])
    .run(async ({ assert }, name) => {
      const path = await file('b.css', 'b{}')
      const store = await AssetStore.load([{ name: 'admin.css', paths: [path] }])
      assert.isUndefined(await store.find(name))
    })

  test('unknown, missing and duplicate assets and unknown types are reported', async ({
    assert,
  }) => {
    const path = await file('c.css', 'c{}')
    const store = await AssetStore.load([{ name: 'admin.css', paths: [path] }])

    assert.throws(() => store.url('other.css'), 'Unknown asset other.css')
    await assert.rejects(
      () => AssetStore.load([{ name: 'x.css', paths: [join(folder, 'gone.css')] }]),
      RuntimeError,
      /gone\.css, of which x\.css consists/
    )
    await assert.rejects(
      () =>
        AssetStore.load([
          { name: 'x.css', paths: [path] },
          { name: 'x.css', paths: [path] },
        ]),
      ValueError,
      /Two assets are called x\.css/
    )
    await assert.rejects(
      () => AssetStore.load([{ name: 'x.php', paths: [path] }]),
      ValueError,
      /x\.php is not an asset: it must end in \.css, \.js, \.svg/
    )
  })

  test('a font is unchanged, and a stylesheet refers to it by its hashed name', async ({
    assert,
  }) => {
    const bytes = Buffer.from([0, 255, 254, 10, 47, 42, 32, 42, 47, 10])
    await writeFile(join(folder, 'letters.woff2'), bytes)
    const style = await file('font.css', "@font-face {\n  src: url('asset:letters.woff2')\n}\n")
    const store = await AssetStore.load([
      { name: 'admin.css', paths: [style] },
      { name: 'letters.woff2', paths: [join(folder, 'letters.woff2')] },
    ])
    const font = (await store.find(store.url('letters.woff2')))!
    assert.deepEqual(font, { body: bytes, gzip: null, brotli: null, type: 'font/woff2' })
    assert.equal(
      await textOf(store, 'admin.css'),
      `@font-face{src:url('${store.url('letters.woff2')}')\n}`
    )
    await assert.rejects(
      () => AssetStore.load([{ name: 'admin.css', paths: [style] }]),
      RuntimeError,
      'Unknown asset letters.woff2'
    )
  })

  test('comments on their own lines are removed, except licences', async ({ assert }) => {
    const text =
      "/*! (c) */\n/* why */\na { b: '/* c */' }\n  /*\n   * more\n   */\nd { e: f } /* g */\n"
    const store = await AssetStore.load([{ name: 'x.css', paths: [await file('c.css', text)] }])
    assert.equal(await textOf(store, 'x.css'), "/*! (c) */\na { b: '/* c */' }d { e: f } /* g */\n")
  })

  test('the indentation of a script is removed, unless a template literal has several lines', async ({
    assert,
  }) => {
    const plain = await file('p.js', 'if (a) {\n  b(`${c}`)\n}\n')
    const literal = await file('l.js', 'a(`\n  b\n`)\n')
    const store = await AssetStore.load([
      { name: 'p.js', paths: [plain] },
      { name: 'l.js', paths: [literal] },
    ])
    assert.equal(await textOf(store, 'p.js'), 'if (a) {\nb(`${c}`)\n}\n')
    assert.equal(await textOf(store, 'l.js'), 'a(`\n  b\n`)\n')
  })
})
