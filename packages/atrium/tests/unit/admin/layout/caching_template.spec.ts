import { test } from '@japa/runner'
import { Edge, Template } from 'edge.js'
import { CachingTemplate } from '#admin/layout/site_templates'

/** An Edge with some partials, and counts of their compilations. */
function edgeWith(
  partials: Record<string, string>,
  { cache = true, Kind = CachingTemplate }: { cache?: boolean; Kind?: typeof Template } = {}
) {
  const edge = new Edge({ cache })
  for (const [name, template] of Object.entries(partials)) edge.registerTemplate(name, { template })
  const compiled: string[] = []
  edge.processor.process('compiled', ({ path }) => void compiled.push(path))
  const render = async (template: string, data: object = {}) => {
    const { asyncCompiler, processor } = edge
    const html = await new Kind(asyncCompiler, {}, {}, processor).renderRaw(template, { ...data })
    return html.replace(/\s+/g, ' ').trim()
  }
  const times = (name: string) => compiled.filter((path) => path === name).length
  return { edge, render, times }
}

const EACH = `@each(one in all)\n@include('part')\n@end`

test.group('Cached partials', () => {
  test('Edge by itself still compiles an include each time', async ({ assert }) => {
    const { render, times } = edgeWith({ part: '<p>{{ one }}</p>' }, { Kind: Template })
    await render(EACH, { all: [1] })
    await render(EACH, { all: [1] })
    assert.equal(times('part'), 2)
  })

  test('an included partial is compiled once and renders its current data', async ({ assert }) => {
    const { render, times } = edgeWith({ part: '<p>{{ one }}</p>' })
    assert.equal(await render(EACH, { all: [1, 2] }), '<p>1</p> <p>2</p>')
    assert.equal(await render(EACH, { all: ['<'] }), '<p>&lt;</p>')
    assert.equal(times('part'), 1)
  })

  test('a partial included with other local variables is compiled separately', async ({
    assert,
  }) => {
    const { render } = edgeWith({ part: '<p>{{ one }}</p>' })
    assert.equal(await render(EACH, { all: [1], one: 'global' }), '<p>1</p>')
    assert.equal(await render(`@include('part')`, { one: 'global' }), '<p>global</p>')
    const other = `@each((other, one) in all)\n@include('part')\n@end`
    assert.equal(await render(other, { all: ['x', 'y'] }), '<p>0</p> <p>1</p>')
    const turned = `@each((one, other) in all)\n@include('part')\n@end`
    assert.equal(await render(turned, { all: ['x', 'y'] }), '<p>x</p> <p>y</p>')
  })

  test('a partial included in an async template is compiled separately', async ({ assert }) => {
    const { render, times } = edgeWith({ part: '<p>{{ await one }}</p>' })
    for (const one of ['a', 'b']) {
      assert.equal(await render(`@include('part')`, { one: Promise.resolve(one) }), `<p>${one}</p>`)
    }
    assert.equal(times('part'), 1)
  })

  test('if the application does not cache templates, partials are not cached either', async ({
    assert,
  }) => {
    const { edge, render } = edgeWith({ part: 'before' }, { cache: false })
    assert.equal(await render(`@include('part')`), 'before')
    edge.removeTemplate('part')
    edge.registerTemplate('part', { template: 'after' })
    assert.equal(await render(`@include('part')`), 'after')
  })
})
