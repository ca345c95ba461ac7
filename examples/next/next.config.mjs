// Nothing is needed for Diktera: a static site below a path of its own.
export default { output: 'export', basePath: '/some/where', trailingSlash: true };
