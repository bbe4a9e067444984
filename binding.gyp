# The same addon for node-gyp, where CMake is missing. Every source comes from native/sources.json.
{
  "target_defaults": {
    "include_dirs": ["native/include", "kernels/include", "<!(node -p \"require('node-addon-api').include_dir\")"],
    "defines": ["NAPI_VERSION=8", "NAPI_DISABLE_CPP_EXCEPTIONS"],
    "cflags_cc!": ["-std=gnu++17", "-std=gnu++20", "-fno-exceptions", "-fno-rtti"],
    "cflags_cc": ["-std=c++20", "-fexceptions", "-frtti", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-O3", "-Wall", "-Wextra"],
    "xcode_settings": {
      "CLANG_CXX_LANGUAGE_STANDARD": "c++20",
      "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
      "GCC_ENABLE_CPP_RTTI": "YES",
      "GCC_SYMBOLS_PRIVATE_EXTERN": "YES",
      "MACOSX_DEPLOYMENT_TARGET": "11.0",
    },
    "msvs_settings": { "VCCLCompilerTool": { "ExceptionHandling": 1, "AdditionalOptions": ["/std:c++20", "/utf-8"] } },
  },
  "targets": [
    {
      "target_name": "kernels_scalar",
      "type": "static_library",
      "sources": ["<!@(node -p \"require('./native/sources.json').kernels.filter(k => k.isa === 'scalar').map(k => k.file).join(' ')\")"],
      "cflags_cc": ["<!@(node -p \"require('./native/sources.json').kernels.find(k => k.isa === 'scalar').flags.join(' ')\")"],
    },
    {
      "target_name": "ontomem",
      "sources": [
        "<!@(node -p \"require('./native/sources.json').core.join(' ')\")",
        "<!@(node -p \"require('./native/sources.json').binding.join(' ')\")",
        "<!@(node -p \"require('./native/sources.json').kernels.filter(k => k.isa === 'any').map(k => k.file).join(' ')\")",
        "<!@(node -p \"require('./native/sources.json').cudaStub.join(' ')\")",
      ],
      "dependencies": ["kernels_scalar"],
      "conditions": [
        ["target_arch == 'x64'", { "dependencies": ["kernels_avx2", "kernels_avx512"] }],
        ["target_arch == 'arm64'", { "dependencies": ["kernels_neon"] }],
        ["OS == 'linux'", { "ldflags": ["-static-libstdc++", "-static-libgcc", "-Wl,--version-script=<(module_root_dir)/native/binding/exports.map"] }],
      ],
    },
  ],
  "conditions": [
    ["target_arch == 'x64'", {
      "targets": [
        {
          "target_name": "kernels_avx2",
          "type": "static_library",
          "sources": ["<!@(node -p \"require('./native/sources.json').kernels.filter(k => k.isa === 'avx2').map(k => k.file).join(' ')\")"],
          "cflags_cc": ["<!@(node -p \"require('./native/sources.json').kernels.find(k => k.isa === 'avx2').flags.join(' ')\")"],
          "xcode_settings": { "OTHER_CPLUSPLUSFLAGS": ["<!@(node -p \"require('./native/sources.json').kernels.find(k => k.isa === 'avx2').flags.join(' ')\")"] },
          "msvs_settings": { "VCCLCompilerTool": { "EnableEnhancedInstructionSet": 5 } },
        },
        {
          "target_name": "kernels_avx512",
          "type": "static_library",
          "sources": ["<!@(node -p \"require('./native/sources.json').kernels.filter(k => k.isa === 'avx512').map(k => k.file).join(' ')\")"],
          "cflags_cc": ["<!@(node -p \"require('./native/sources.json').kernels.find(k => k.isa === 'avx512').flags.join(' ')\")"],
          "xcode_settings": { "OTHER_CPLUSPLUSFLAGS": ["<!@(node -p \"require('./native/sources.json').kernels.find(k => k.isa === 'avx512').flags.join(' ')\")"] },
          "msvs_settings": { "VCCLCompilerTool": { "AdditionalOptions": ["/arch:AVX512"] } },
        },
      ],
    }],
    ["target_arch == 'arm64'", {
      "targets": [
        {
          "target_name": "kernels_neon",
          "type": "static_library",
          "sources": ["<!@(node -p \"require('./native/sources.json').kernels.filter(k => k.isa === 'neon').map(k => k.file).join(' ')\")"],
          "cflags_cc": ["<!@(node -p \"require('./native/sources.json').kernels.find(k => k.isa === 'neon').flags.join(' ')\")"],
        },
      ],
    }],
  ],
}
