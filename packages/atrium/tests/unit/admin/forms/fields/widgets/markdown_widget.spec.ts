import { test } from '@japa/runner'
import { plainMarkdown, renderMarkdown } from '#admin/forms/fields/widgets/markdown_widget'

/* Nothing but these may be in what is rendered. */
const ELEMENT =
  /<(?!\/?(?:p|br|hr|h[2-6]|strong|b|em|i|s|del|sub|sup|code|pre|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|a)\b)/i
const ATTRIBUTE = /\s(?!href|rel|target|tabindex|align|start)[\w:-]+=["']/i

const attributesIn = (html: string) =>
  (html.match(/<[^>]*>/g) ?? []).filter((tag) => ATTRIBUTE.test(tag))
const schemesIn = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)

const ATTACKS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg/onload=alert(1)>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](javascript&#58;alert(1))',
  '[x](java&#x0A;script:alert(1))',
  '[x](&#x6A;avascript:alert(1))',
  '[x](vbscript:x)',
  '[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '![x](javascript:alert(1))',
  '![x](https://tracker.test/pixel.png)',
  '![x" onerror="alert(1)](y)',
  '[x](https://y.test "a\\" onmouseover=\\"alert(1)")',
  '<a href=" javascript:alert(1)">x</a>',
  '<a href="jav\tascript:alert(1)">x</a>',
  '<a href="//evil.test" target=_top>x</a>',
  '<a href=x onclick=alert(1) style="position:fixed" class="btn" id="flash" name="x">x</a>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<object data=x></object><embed src=x><base href="//evil.test">',
  '<form action="/admin/logout"><input name=x autofocus onfocus=alert(1)><button>Go</button></form>',
  '<div hx-get="/admin/logout" hx-trigger="load" data-hx-post="/x">x</div>',
  '<style>* { display: none }</style><link rel=stylesheet href="//evil.test">',
  '<meta http-equiv=refresh content="0;url=//evil.test">',
  '<p style="background:url(//evil.test)">x</p>',
  '<details open ontoggle=alert(1)>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<textarea></textarea><img src=x onerror=alert(1)>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '`<img src=x onerror=alert(1)>`',
  '```html\n<script>alert(1)</script>\n```',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<https://x.test/"onmouseover="alert(1)>',
  '| <img src=x onerror=alert(1)> |\n|---|\n| <script>1</script> |',
]

test.group('Admin | Markdown', () => {
  test('[R13] Markdown can’t run code, set styles or load external content')
    .with(ATTACKS)
    .run(({ assert }, attack) => {
      for (const text of [attack, `> - ${attack}`, `**a** ${attack} b`]) {
        const html = renderMarkdown(text)
        assert.notMatch(html, ELEMENT)
        assert.deepEqual(attributesIn(html), [])
        for (const href of schemesIn(html)) {
          assert.notMatch(href, /^\s*(?!https?:|mailto:)[\w&#;\s]*(?::|&#|&colon)/i)
        }
      }
    })

  test('[R13] links send no referrer to other sites, and images are rendered as links')
    .with([
      ['[x](https://y.test)', 'https://y.test', 'x'],
      ['![a cat](https://y.test/cat.png)', 'https://y.test/cat.png', 'a cat'],
      ['<img src="/cat.png">', '/cat.png', '/cat.png'],
    ])
    .run(({ assert }, [text, href, label]) => {
      assert.equal(
        renderMarkdown(text)
          .trim()
          .replace(/<\/?p>/g, ''),
        `<a href="${href}" rel="noopener noreferrer nofollow" target="_blank">${label}</a>`
      )
    })

  test('[R13] common Markdown is rendered, with its headings below those of the page', ({
    assert,
  }) => {
    const html = renderMarkdown('# One\n### Two\n- item\n\n| a |\n|-:|\n| 1 |\n\n    code')
    for (const part of [
      '<h2>One</h2>',
      '<h3>Two</h3>',
      '<li>item</li>',
      '<td align="right">1</td>',
      '<pre tabindex="0"><code>code',
    ]) {
      assert.include(html, part)
    }
  })

  test('[R13] Markdown that would take too long to render is shown as plain text', ({ assert }) => {
    assert.match(renderMarkdown('*<b>'.repeat(30_000)), /^<pre tabindex="0">\*&lt;b&gt;/)
    const begun = performance.now()
    for (const piece of ['[', '> ', '_a', '*a ', '|a|\n|-|\n', '<b><i>', '- ']) {
      renderMarkdown(piece.repeat(40_000 / piece.length))
    }
    assert.isBelow(performance.now() - begun, 3000)
  })

  test('[R13] in lists Markdown is shown as plain text', ({ assert }) => {
    assert.equal(plainMarkdown('# A\n\n**b** &amp; <i>c</i> `<d>` "e"'), 'A b & c <d> "e"')
    assert.equal(plainMarkdown('<script>x</script>'), '')
  })
})
