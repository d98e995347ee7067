import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'
import edge from 'edge.js'
import { madeContext } from '#admin/identity/admin_actor'
import { SiteTemplates } from '#admin/layout/site_templates'

const TAG = '<p {{ html.attrs({ title }) }}></p>'
const title = '"><b>'

test.group('Layout | templates of the site', (group) => {
  let folder: string
  const names: string[] = []

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atrium-templates-'))
    await mkdir(join(folder, 'partials'))
    return async () => {
      await rm(folder, { recursive: true })
      for (const name of names.splice(0)) edge.removeTemplate(name)
    }
  })

  const write = (text: string) => writeFile(join(folder, 'partials/mark.edge'), text)

  function register(name: string, template: string) {
    names.push(name)
    edge.registerTemplate(name, { template })
  }

  async function rendered(templates: SiteTemplates, name: string, data = {}, ctx?: HttpContext) {
    const html = await templates.render(ctx ?? (await madeContext()), name, data)
    return html.trim()
  }

  /** Renders a template twice, with another text in its file in between. */
  async function renderedTwice(isCaching: boolean, name: string) {
    const { cacheManager } = edge.asyncCompiler
    const { enabled } = cacheManager
    cacheManager.enabled = isCaching
    try {
      await write('before')
      const templates = await SiteTemplates.load(folder)
      const before = await rendered(templates, name)
      await write('after')
      return [before, await rendered(templates, name)]
    } finally {
      cacheManager.enabled = enabled
    }
  }

  test('[K5.4] html.attrs escapes in templates of the site, and is unchanged elsewhere', async ({
    assert,
  }) => {
    register('k5_attributes', TAG)
    const templates = await SiteTemplates.load(undefined)
    const page = await rendered(templates, 'k5_attributes', { title })
    assert.equal(page, '<p title="&quot;&gt;&lt;b&gt;"></p>')
    const others = await edge.render('k5_attributes', { title })
    assert.equal(others.trim(), '<p title=""><b>"></p>')
  })

  test('[K5.4] templates can use tags, components, globals and view state of the application', async ({
    assert,
    cleanup,
  }) => {
    cleanup(() => {
      delete edge.globals.k5
      delete edge.tags.ownTag
    })
    const templates = await SiteTemplates.load(undefined)
    await rendered(templates, 'admin/partials/mark', { site: { asset: String, title: '' } })
    edge.global('k5', (text: string) => `global ${text}`)
    edge.registerTag({
      tagName: 'ownTag',
      block: false,
      seekable: false,
      compile: (_parser, buffer) => buffer.outputRaw('tag'),
    })
    register('own_badge', `<b {{ html.attrs({ title: text }) }}>{{ k5(text) }} {{ auth }}</b>`)
    register('k5_page', `@!ownBadge({ text: '"' })\n@ownTag\n{{ one }} {{ auth }}`)
    const ctx = await madeContext()
    ctx.view.share({ auth: 'shared', one: 'shared' })
    const page = await rendered(templates, 'k5_page', { one: 'given' }, ctx)
    assert.equal(
      page.replace(/\s+/g, ' '),
      '<b title="&quot;">global &quot; shared</b> tag given shared'
    )
  })

  test('[K5.4, B1.2] files of templatesDirectory replace only templates of the site', async ({
    assert,
  }) => {
    register('k5_own', `@include('admin/partials/mark')`)
    await write('replaced')
    const templates = await SiteTemplates.load(folder)
    assert.equal(await rendered(templates, 'k5_own'), 'replaced')
    assert.equal(await rendered(templates, 'admin/partials/mark'), 'replaced')
    assert.notProperty(edge.loader.templates, 'admin/partials/mark')
    await assert.rejects(() => edge.render('k5_own'), /Cannot resolve .*admin\/partials\/mark/)
  })

  test('[K5.4] templates of the site are cached if the application caches its own', async ({
    assert,
  }) => {
    register('k5_including', `@include('admin/partials/mark')`)
    for (const name of ['admin/partials/mark', 'k5_including']) {
      assert.deepEqual(await renderedTwice(true, name), ['before', 'before'])
      assert.deepEqual(await renderedTwice(false, name), ['before', 'after'])
    }
  })
})
